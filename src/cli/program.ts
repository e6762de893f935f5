// The commands of `cumulet`, put together.
import { Command, Help } from 'commander';
import { addEnvCommand } from '../emulator/client-configuration/commands.ts';
import { addAuditCommand } from '../emulator/audit/commands.ts';
import { addCapacityCommand } from '../emulator/capacity/commands.ts';
import { addFaultCommands } from '../emulator/fault-injection/commands.ts';
import { addFailureCommand } from '../emulator/host-failures/commands.ts';
import { addWhyCommands } from '../emulator/explain/commands.ts';
import { addJobsCommands } from '../emulator/jobs/commands.ts';
import { addRequestsCommands } from '../emulator/journal/commands.ts';
import { addNotificationCommands } from '../emulator/notifications/commands.ts';
import { addProjectCommands } from '../emulator/projects/commands.ts';
import { addRegionCommands } from '../emulator/regions/commands.ts';
import { addReplayCommand } from '../emulator/replay/commands.ts';
import { addResetCommand } from '../emulator/reset/commands.ts';
import { addSnapshotCommands } from '../emulator/snapshots/commands.ts';
import { addWhatIfCommand } from '../emulator/what-if/commands.ts';
import { addPresetsCommand } from '../emulator/worlds/commands.ts';
import { packageVersion } from '../kernel/package-root.ts';
import { addCaptureCommand } from './capture.ts';
import { addCompletionCommand } from './completion/commands.ts';
import { readConfigFile } from './config-file.ts';
import { addLogsCommand, addStatusCommand, addStopCommand } from './detached/commands.ts';
import { addDoctorCommand, doctorCommand } from './doctor/commands.ts';
import { addExecCommand } from './exec.ts';
import { addInitCommand } from './init.ts';
import { addPodsCommands } from './pods.ts';
import { addStartCommand } from './start.ts';
import { addTourCommand } from './tour/commands.ts';

/** The command line. */
export function cumuletProgram(name = 'cumulet'): Command {
  const program = new Command(name)
    .description('An OpenStack cloud on your laptop, for tests and development.')
    .usage('[command] [options]')
    .version(packageVersion())
    .enablePositionalOptions()
    .configureHelp({ formatItem })
    .showHelpAfterError(`(run '${name} --help' for the list of commands and options)`);
  program.hook('preAction', (_, action) => {
    if (action.name() !== doctorCommand) readConfigFile(action);
  });
  const start = addStartCommand(program);
  addTourCommand(program, async (words) => {
    await cumuletProgram(name).parseAsync(words, { from: 'user' });
  });
  addInitCommand(program);
  addStatusCommand(program);
  addLogsCommand(program);
  addStopCommand(program);
  addDoctorCommand(program);
  addExecCommand(program);
  addEnvCommand(program);
  addPresetsCommand(program);
  addResetCommand(program);
  addRegionCommands(program);
  addPodsCommands(program);
  addProjectCommands(program);
  addFaultCommands(program);
  addRequestsCommands(program);
  addWhyCommands(program);
  addCapacityCommand(program);
  addAuditCommand(program);
  addFailureCommand(program);
  addWhatIfCommand(program);
  addReplayCommand(program);
  addCaptureCommand(program);
  addNotificationCommands(program);
  addJobsCommands(program);
  addSnapshotCommands(program);
  addCompletionCommand(program);
  return program.addHelpText('after', () => `\nOptions of start:\n\n${optionsOf(start)}`);
}

/** The groups of options in the help of a command. */
function optionsOf(command: Command): string {
  const text = command.helpInformation();
  return text.slice(text.indexOf('Server:'), text.indexOf('\nOptions:'));
}

/** The widest term that has its description on the same line. */
const termLimit = 30;

/** A term and its description: below each other if the term is long. */
function formatItem(this: Help, term: string, width: number, text: string, help: Help): string {
  const column = Math.min(width, termLimit);
  const format = (left: string): string =>
    Help.prototype.formatItem.call(this, left, column, text, help);
  return term.length <= column ? format(term) : `  ${term}\n${format('')}`;
}
