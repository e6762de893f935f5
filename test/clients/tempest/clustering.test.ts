// Tempest's plugin for Clustering: what needs no more than the API.
import { declareClustering } from './tempest.ts';

declareClustering('senlin_tempest_plugin.tests.api', 'senlin_tempest_plugin.tests.functional');
