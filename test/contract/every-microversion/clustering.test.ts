// The version sweep of Clustering.
import { sweep } from './every-microversion.ts';

sweep('clustering');
