// Tempest's plugin for Clustering against a started server: every module of `clustering.yaml` is a test.
import { prepareClustering } from './prepare.ts';
import { declareSuite } from './suite.ts';

declareSuite('tempest of Clustering', 'clustering.yaml', prepareClustering);
