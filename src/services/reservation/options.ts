// The options of Reservation.
import { choiceOption, type OptionValues } from '../../kernel/options.ts';

export const reservationOptions = {
  reservationMode: choiceOption<'upstream' | 'strict'>({
    flag: '--reservation-mode <mode>',
    help:
      'whether instance reservations use aggregates and server groups as upstream does, or ' +
      'Placement alone as its specification says; a setting changes it later',
    choices: ['upstream', 'strict'],
    default: 'upstream',
    fillsCloud: true,
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof reservationOptions> {}
}
