// The Image API on one screen. Policy depends on the image, so the handlers enforce it, as upstream's do.
import * as actions from './handlers/actions.ts';
import * as data from './handlers/image-data.ts';
import * as tasks from './handlers/image-tasks.ts';
import * as images from './handlers/images.ts';
import * as members from './handlers/members.ts';
import * as schemas from './handlers/schemas.ts';
import * as tags from './handlers/tags.ts';
import * as versions from './handlers/versions.ts';
import type { ImageRoute } from './call.ts';

const image = '/v2/images/:image_id';


export const imageRoutes: readonly ImageRoute[] = [
  { method: 'GET',    path: '/',                                handler: versions.choose, open: true, single: true },
  { method: 'GET',    path: '/versions',                        handler: versions.list, open: true, single: true },

  { method: 'GET',    path: '/v2/schemas/image',                handler: schemas.showImage, single: true },
  { method: 'GET',    path: '/v2/schemas/images',               handler: schemas.showImages, single: true },
  { method: 'GET',    path: '/v2/schemas/member',               handler: schemas.showMember, single: true },
  { method: 'GET',    path: '/v2/schemas/members',              handler: schemas.showMembers, single: true },

  { method: 'GET',    path: '/v2/images',                       handler: images.list },
  { method: 'POST',   path: '/v2/images',                       handler: images.create, needsBody: true },
  { method: 'GET',    path: image,                              handler: images.show },
  { method: 'PATCH',  path: image,                              handler: images.update, needsBody: true },
  { method: 'DELETE', path: image,                              handler: images.remove },

  { method: 'GET',    path: `${image}/file`,                    handler: data.download },
  { method: 'PUT',    path: `${image}/file`,                    handler: data.upload },
  { method: 'GET',    path: `${image}/tasks`,                   handler: tasks.list },
  { method: 'POST',   path: `${image}/actions/deactivate`,      handler: actions.deactivate },
  { method: 'POST',   path: `${image}/actions/reactivate`,      handler: actions.reactivate },
  { method: 'PUT',    path: `${image}/tags/:tag_value`,         handler: tags.create },
  { method: 'DELETE', path: `${image}/tags/:tag_value`,         handler: tags.remove },

  { method: 'GET',    path: `${image}/members`,                 handler: members.list },
  { method: 'POST',   path: `${image}/members`,                 handler: members.create, needsBody: true },
  { method: 'GET',    path: `${image}/members/:member_id`,      handler: members.show },
  { method: 'PUT',    path: `${image}/members/:member_id`,      handler: members.update, needsBody: true },
  { method: 'DELETE', path: `${image}/members/:member_id`,      handler: members.remove },
];
