// Wrong input to Reservation.
import { wrongInput } from './fuzzing.ts';

wrongInput('reservation');
