// The version sweep of Clustering.
import { sweep } from './sweep.ts';

sweep('clustering');
