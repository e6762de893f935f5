// Runs the tests of its policy by which tempest's plugin tests Image.
import { declarePlugin } from './tempest.ts';

declarePlugin('glance', ['tests.rbac']);
