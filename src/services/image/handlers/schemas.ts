// The schemas that clients such as glanceclient read before they write.
import { ok } from '../../../kernel/http/reply.ts';
import {
  imageSchema,
  imagesSchema,
  memberSchema,
  membersSchema,
  metadefSchema,
  metadefsSchema,
  taskSchema,
  tasksSchema,
  type MetadefNoun,
} from '../views/schemas.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** GET /v2/schemas/image */
export const showImage = (call: ImageCall): Reply => ok(imageSchema(call));

/** GET /v2/schemas/images */
export const showImages = (call: ImageCall): Reply => ok(imagesSchema(call));

/** GET /v2/schemas/member */
export const showMember = (call: ImageCall): Reply => ok(memberSchema(call));

/** GET /v2/schemas/members */
export const showMembers = (call: ImageCall): Reply => ok(membersSchema(call));

/** GET /v2/schemas/task */
export const showTask = (call: ImageCall): Reply => ok(taskSchema(call));

/** GET /v2/schemas/tasks */
export const showTasks = (call: ImageCall): Reply => ok(tasksSchema(call));

const one =
  (noun: MetadefNoun) =>
  (call: ImageCall): Reply =>
    ok(metadefSchema(call, noun));

const many =
  (noun: MetadefNoun, name: string) =>
  (call: ImageCall): Reply =>
    ok(metadefsSchema(call, noun, name));

/** GET /v2/schemas/metadefs/namespace */
export const showNamespace = one('namespace');

/** GET /v2/schemas/metadefs/namespaces */
export const showNamespaces = many('namespace', 'namespaces');

/** GET /v2/schemas/metadefs/object */
export const showObject = one('object');

/** GET /v2/schemas/metadefs/objects */
export const showObjects = many('object', 'objects');

/** GET /v2/schemas/metadefs/property */
export const showProperty = one('property');

/** GET /v2/schemas/metadefs/properties */
export const showProperties = many('property', 'properties');

/** GET /v2/schemas/metadefs/resource_type */
export const showResourceType = one('resource_type_association');

/** GET /v2/schemas/metadefs/resource_types */
export const showResourceTypes = many('resource_type_association', 'resource_type_associations');

/** GET /v2/schemas/metadefs/tag */
export const showTag = one('tag');

/** GET /v2/schemas/metadefs/tags */
export const showTags = many('tag', 'tags');
