// The view of a segment.
import type { Segment } from '../model.ts';
import { standardView, type View } from './view.ts';

export const segmentView = (segment: Segment): View => ({
  ...segment,
  ...standardView(segment),
  segmentation_id: segment.segmentation_id || null,
});
