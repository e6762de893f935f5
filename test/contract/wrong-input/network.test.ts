// Wrong input to Network.
import { wrongInput } from './wrong-input.ts';

wrongInput('network');
