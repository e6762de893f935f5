// Wrong input to Image.
import { wrongInput } from './fuzzing.ts';

wrongInput('image');
