// The segments of networks, which only administrators see.
import { segmentAttributes } from '../domain/segments/attributes.ts';
import { createSegment, deleteSegment, updateSegment } from '../domain/segments/segments.ts';
import { getSegment, visibility } from '../domain/visibility.ts';
import type { Segment } from '../model.ts';
import { segmentTable } from '../store/tables.ts';
import { segmentView } from '../views/segments.ts';
import { resourceHandlers, sequentially, type UpdatableResource } from './resources.ts';

export const segmentResource: UpdatableResource<Segment> = {
  map: segmentAttributes,
  table: segmentTable,
  visibility: visibility.all,
  get: getSegment,
  create: sequentially(createSegment),
  update: updateSegment,
  delete: deleteSegment,
  views: (_db, segments) => Promise.resolve(segments.map(segmentView)),
};

export const { list, show, create, update, remove } = resourceHandlers(segmentResource);
