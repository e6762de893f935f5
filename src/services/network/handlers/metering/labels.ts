// Metering labels. A project sees its own.
import { labelAttributes } from '../../domain/metering/attributes.ts';
import { createLabel, deleteLabel } from '../../domain/metering/labels.ts';
import { getMeteringLabel, visibility } from '../../domain/visibility.ts';
import type { MeteringLabel } from '../../model.ts';
import { meteringLabelTable } from '../../store/tables.ts';
import { plainView } from '../../views/view.ts';
import { fixedResourceHandlers, sequentially, type Resource } from '../resources.ts';

export const meteringLabelResource: Resource<MeteringLabel> = {
  map: labelAttributes,
  table: meteringLabelTable,
  visibility: visibility.own,
  unknownMarkers: 'ignored',
  get: getMeteringLabel,
  create: sequentially(createLabel),
  delete: deleteLabel,
  views: (_db, labels) => Promise.resolve(labels.map(plainView)),
};

export const { list, show, create, remove } = fixedResourceHandlers(meteringLabelResource);
