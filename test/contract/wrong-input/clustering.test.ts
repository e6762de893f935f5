// Wrong input to Clustering.
import { wrongInput } from './wrong-input.ts';

wrongInput('clustering');
