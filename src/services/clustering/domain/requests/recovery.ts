// Reads the parameters of recoveries, of clusters and of nodes.
import type { Json } from '../../model.ts';
import { bad, pythonList } from '../refusals.ts';
import { booleanField, isMap } from './fields.ts';

const operations = ['REBOOT', 'REBUILD', 'RECREATE'];
const rebootTypes = ['SOFT', 'HARD'];

/**
 * Reads the inputs of a recovery.
 * @param flags the names of the booleans that it accepts
 * @param others the names of the other parameters that it accepts
 * @throws 400
 */
export function recoverInputs(
  given: Json,
  flags: readonly string[],
  others: readonly string[] = [],
): Json {
  const { operation, operation_params: params, ...rest } = given;
  const inputs: Json = {};
  if (operation !== undefined && operation !== null)
    Object.assign(inputs, readOperation(operation, params));
  const unknown = Object.keys(rest).filter(
    (name) => !flags.includes(name) && !others.includes(name),
  );
  if (params !== undefined && params !== null && inputs['operation'] === undefined)
    unknown.unshift('operation_params');
  if (unknown.length) throw bad(`Action parameter ${pythonList(unknown)} is not recognizable`);
  for (const [name, value] of Object.entries(rest)) {
    if (value === null) continue;
    inputs[name] = flags.includes(name) ? booleanField.read(value, name) : value;
  }
  return inputs;
}

function readOperation(operation: unknown, params: unknown): Json {
  if (typeof operation !== 'string') throw bad('operation has to be a string');
  const name = operation.toUpperCase();
  if (!operations.includes(name))
    throw bad(
      `Operation value '${operation}' has to be one of the following: ${operations.join(', ')}`,
    );
  if (name !== 'REBOOT' || params === undefined || params === null) return { operation: name };
  if (!isMap(params)) throw bad('operation_params must be a map');
  const type = params['type'];
  if (type === undefined) return { operation: name, operation_params: params };
  if (typeof type !== 'string') throw bad('The type field in operation_params has to be a string');
  if (!rebootTypes.includes(type.toUpperCase()))
    throw bad(
      `Type field '${type}' in operation_params has to be one of the following: ` +
        rebootTypes.join(', '),
    );
  return { operation: name, operation_params: { ...params, type: type.toUpperCase() } };
}
