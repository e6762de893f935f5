// Wrong input to Image.
import { wrongInput } from './wrong-input.ts';

wrongInput('image');
