// Wrong input to Clustering.
import { wrongInput } from './fuzzing.ts';

wrongInput('clustering');
