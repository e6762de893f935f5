// The page of the emulator: starts it in the browser.
import { render } from 'preact';
import { followChanges } from './core/live.ts';
import { startRouter } from './core/router.ts';
import { Shell } from './shell/shell.tsx';
import { startTheme } from './shell/theme.tsx';

startTheme();
startRouter();
void followChanges();
render(<Shell />, document.querySelector('#page')!);
