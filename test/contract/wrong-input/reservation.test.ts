// Wrong input to Reservation.
import { wrongInput } from './wrong-input.ts';

wrongInput('reservation');
