// Runs the tests of tempest's plugin for Clustering that need only the API.
import { declareClustering } from './tempest.ts';

declareClustering('senlin_tempest_plugin.tests.api', 'senlin_tempest_plugin.tests.functional');
