// Wrong input to Network.
import { wrongInput } from './fuzzing.ts';

wrongInput('network');
