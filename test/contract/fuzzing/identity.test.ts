// Wrong input to Identity.
import { wrongInput } from './fuzzing.ts';

wrongInput('identity');
