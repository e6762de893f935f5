// The version sweep of Image.
import { sweep } from './sweep.ts';

sweep('image');
