// The Image API on one screen. Policy depends on the image, so the handlers enforce it, as upstream's do.
import * as actions from './handlers/actions.ts';
import * as cache from './handlers/cache.ts';
import * as data from './handlers/image-data.ts';
import * as imageTasks from './handlers/image-tasks.ts';
import * as imports from './handlers/imports.ts';
import * as info from './handlers/info.ts';
import * as images from './handlers/images.ts';
import * as locations from './handlers/locations.ts';
import * as members from './handlers/members.ts';
import * as namespaces from './handlers/metadefs/namespaces.ts';
import * as objects from './handlers/metadefs/objects.ts';
import * as properties from './handlers/metadefs/properties.ts';
import * as resourceTypes from './handlers/metadefs/resource-types.ts';
import * as metadefTags from './handlers/metadefs/tags.ts';
import * as schemas from './handlers/schemas.ts';
import * as tags from './handlers/tags.ts';
import * as tasks from './handlers/tasks.ts';
import * as versions from './handlers/versions.ts';
import type { ImageRoute } from './call.ts';

const image = '/v2/images/:image_id';
const namespace = '/v2/metadefs/namespaces/:namespace';

export const imageRoutes: readonly ImageRoute[] = [
  { method: 'GET',    path: '/',                                handler: versions.choose, open: true, single: true },
  { method: 'GET',    path: '/versions',                        handler: versions.list, open: true, single: true },

  { method: 'GET',    path: '/v2/schemas/image',                handler: schemas.showImage, single: true },
  { method: 'GET',    path: '/v2/schemas/images',               handler: schemas.showImages, single: true },
  { method: 'GET',    path: '/v2/schemas/member',               handler: schemas.showMember, single: true },
  { method: 'GET',    path: '/v2/schemas/members',              handler: schemas.showMembers, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/namespace',          handler: schemas.showNamespace, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/namespaces',         handler: schemas.showNamespaces, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/object',             handler: schemas.showObject, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/objects',            handler: schemas.showObjects, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/property',           handler: schemas.showProperty, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/properties',         handler: schemas.showProperties, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/resource_type',      handler: schemas.showResourceType, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/resource_types',     handler: schemas.showResourceTypes, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/tag',                handler: schemas.showTag, single: true },
  { method: 'GET',    path: '/v2/schemas/metadefs/tags',               handler: schemas.showTags, single: true },

  { method: 'GET',    path: '/v2/schemas/task',                          handler: schemas.showTask, single: true },
  { method: 'GET',    path: '/v2/schemas/tasks',                         handler: schemas.showTasks, single: true },

  { method: 'GET',    path: '/v2/images',                       handler: images.list },
  { method: 'POST',   path: '/v2/images',                       handler: images.create, needsBody: true },
  { method: 'GET',    path: image,                              handler: images.show },
  { method: 'PATCH',  path: image,                              handler: images.update, needsBody: true },
  { method: 'DELETE', path: image,                              handler: images.remove },

  { method: 'GET',    path: `${image}/file`,                    handler: data.download },
  { method: 'PUT',    path: `${image}/file`,                    handler: data.upload },
  { method: 'PUT',    path: `${image}/stage`,                   handler: data.stage },
  { method: 'POST',   path: `${image}/import`,                  handler: imports.create, needsBody: true },
  { method: 'GET',    path: `${image}/locations`,               handler: locations.list },
  { method: 'POST',   path: `${image}/locations`,               handler: locations.create, needsBody: true },
  { method: 'DELETE', path: '/v2/stores/:store_id/:image_id',   handler: locations.removeStore },
  { method: 'GET',    path: `${image}/tasks`,                   handler: imageTasks.list },
  { method: 'POST',   path: `${image}/actions/deactivate`,      handler: actions.deactivate },
  { method: 'POST',   path: `${image}/actions/reactivate`,      handler: actions.reactivate },
  { method: 'PUT',    path: `${image}/tags/:tag_value`,         handler: tags.create },
  { method: 'DELETE', path: `${image}/tags/:tag_value`,         handler: tags.remove },

  { method: 'GET',    path: `${image}/members`,                 handler: members.list },
  { method: 'POST',   path: `${image}/members`,                 handler: members.create, needsBody: true },
  { method: 'GET',    path: `${image}/members/:member_id`,      handler: members.show },
  { method: 'PUT',    path: `${image}/members/:member_id`,      handler: members.update, needsBody: true },
  { method: 'DELETE', path: `${image}/members/:member_id`,      handler: members.remove },

  { method: 'GET',    path: '/v2/tasks',                        handler: tasks.list },
  { method: 'POST',   path: '/v2/tasks',                        handler: tasks.create, needsBody: true },
  { method: 'GET',    path: '/v2/tasks/:task_id',               handler: tasks.show },
  { method: 'DELETE', path: '/v2/tasks/:task_id',               handler: tasks.remove },

  { method: 'GET',    path: '/v2/info/import',                  handler: info.showImport },
  { method: 'GET',    path: '/v2/info/stores',                  handler: info.showStores },
  { method: 'GET',    path: '/v2/info/stores/detail',           handler: info.showStoreDetails },
  { method: 'GET',    path: '/v2/info/usage',                   handler: info.showUsage },

  { method: 'GET',    path: '/v2/cache',                        handler: cache.show },
  { method: 'DELETE', path: '/v2/cache',                        handler: cache.clear },
  { method: 'POST',   path: '/v2/cache/clean',                  handler: cache.clean },
  { method: 'POST',   path: '/v2/cache/prune',                  handler: cache.prune },
  { method: 'GET',    path: '/v2/cache/nodes/:image_id',        handler: cache.listNodes },
  { method: 'PUT',    path: '/v2/cache/:image_id',              handler: cache.create },
  { method: 'DELETE', path: '/v2/cache/:image_id',              handler: cache.remove },

  { method: 'GET',    path: '/v2/metadefs/resource_types',                               handler: resourceTypes.list },
  { method: 'GET',    path: '/v2/metadefs/namespaces',                                   handler: namespaces.list },
  { method: 'POST',   path: '/v2/metadefs/namespaces',                                   handler: namespaces.create, needsBody: true },
  { method: 'GET',    path: namespace,                                                   handler: namespaces.show },
  { method: 'PUT',    path: namespace,                                                   handler: namespaces.update, needsBody: true },
  { method: 'DELETE', path: namespace,                                                   handler: namespaces.remove },
  { method: 'GET',    path: `${namespace}/objects`,                                      handler: objects.list },
  { method: 'POST',   path: `${namespace}/objects`,                                      handler: objects.create, needsBody: true },
  { method: 'DELETE', path: `${namespace}/objects`,                                      handler: namespaces.removeObjects },
  { method: 'GET',    path: `${namespace}/objects/:object_name`,                         handler: objects.show },
  { method: 'PUT',    path: `${namespace}/objects/:object_name`,                         handler: objects.update, needsBody: true },
  { method: 'DELETE', path: `${namespace}/objects/:object_name`,                         handler: objects.remove },
  { method: 'GET',    path: `${namespace}/properties`,                                   handler: properties.list },
  { method: 'POST',   path: `${namespace}/properties`,                                   handler: properties.create, needsBody: true },
  { method: 'DELETE', path: `${namespace}/properties`,                                   handler: namespaces.removeProperties },
  { method: 'GET',    path: `${namespace}/properties/:property_name`,                    handler: properties.show },
  { method: 'PUT',    path: `${namespace}/properties/:property_name`,                    handler: properties.update, needsBody: true },
  { method: 'DELETE', path: `${namespace}/properties/:property_name`,                    handler: properties.remove },
  { method: 'GET',    path: `${namespace}/tags`,                                         handler: metadefTags.list },
  { method: 'POST',   path: `${namespace}/tags`,                                         handler: metadefTags.replace, needsBody: true },
  { method: 'DELETE', path: `${namespace}/tags`,                                         handler: namespaces.removeTags },
  { method: 'GET',    path: `${namespace}/tags/:tag_name`,                               handler: metadefTags.show },
  { method: 'POST',   path: `${namespace}/tags/:tag_name`,                               handler: metadefTags.create },
  { method: 'PUT',    path: `${namespace}/tags/:tag_name`,                               handler: metadefTags.update, needsBody: true },
  { method: 'DELETE', path: `${namespace}/tags/:tag_name`,                               handler: metadefTags.remove },
  { method: 'GET',    path: `${namespace}/resource_types`,                               handler: resourceTypes.listOfNamespace },
  { method: 'POST',   path: `${namespace}/resource_types`,                               handler: resourceTypes.create, needsBody: true },
  { method: 'DELETE', path: `${namespace}/resource_types/:resource_type`,                handler: resourceTypes.remove },
];
