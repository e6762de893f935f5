// Runs the tests of the API and of its policy by which tempest's plugin tests Block Storage.
import { declarePlugin } from './tempest.ts';

declarePlugin('cinder', ['api', 'rbac']);
