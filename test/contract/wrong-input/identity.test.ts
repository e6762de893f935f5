// Wrong input to Identity.
import { wrongInput } from './wrong-input.ts';

wrongInput('identity');
