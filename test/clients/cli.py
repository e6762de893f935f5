"""Runs `openstack` command lines in one interpreter and compares their output with the expectations
of a case.

Each line of stdin is a JSON object with a case (described in README.md) and its environment. Each
line of stdout is a JSON object with the outcome. The first line of output lists the installed
clients. Starting the CLI takes half a second, while a command in a running interpreter takes about
ten milliseconds.
"""

import contextlib
import importlib.metadata
import io
import json
import logging
import os
import re
import shlex
import signal
import sys
import time
import traceback
import uuid
import warnings

# A command that takes longer than this is a failure.
TIMEOUT_SECONDS = 600  # even on a busy machine
# How often a step that may have to wait looks again.
POLL_SECONDS = 0.2
# The version that the placement plugin negotiates by default.
NEGOTIATED = '1.29'
# The OS_* variables that remain when a step logs in as another user.
KEPT = ('OS_AUTH_URL', 'OS_REGION_NAME', 'OS_IDENTITY_API_VERSION', 'OS_INTERFACE')


class Failure(Exception):
    """The output of the client does not meet the expectations of the case."""


class Unsuitable(Exception):
    """The case does not apply to the installed clients."""


class OutOfPatience(BaseException):
    """The command took too long. This is not an Exception, so that the client does not catch it."""


# --- the clients ----------------------------------------------------------------------------------


def installed():
    versions = {}
    for name in ('python-openstackclient', 'osc-placement', 'python-blazarclient',
                 'python-senlinclient', 'tricircleclient', 'openstacksdk'):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def entry_points():
    """Finds every command by its name, in the newest API version that has it."""
    found = importlib.metadata.entry_points()
    groups = found.groups if hasattr(found, 'groups') else found.keys()
    commands = {}
    for group in sorted(set(groups)):
        if group.startswith('openstack.'):
            points = found.select(group=group) if hasattr(found, 'select') else found[group]
            commands.update({point.name: (group, point) for point in points})
    return commands


class Clients:
    def __init__(self):
        from cliff.display import DisplayCommandBase
        from openstackclient import shell
        from openstackclient.common import clientmanager

        self.shell = shell
        self.display = DisplayCommandBase
        self.managers = clientmanager.ClientManager.__mro__
        self.versions = installed()
        self.commands = entry_points()

    def command_of(self, words):
        """Returns the command that a line calls: the longest known name among the words before the
        first option.
        """
        plain = []
        for word in words:
            if word.startswith('-'):
                break
            plain.append(word.replace('-', '_'))
        for count in range(len(plain), 0, -1):
            if '_'.join(plain[:count]) in self.commands:
                return '_'.join(plain[:count])
        return None

    def prints_data(self, name):
        return name is not None and issubclass(self.commands[name][1].load(), self.display)

    def forget(self):
        """Resets per-process state before the next command: service clients (with session and
        version) and log handlers.
        """
        for manager in self.managers:
            for attribute in vars(manager).values():
                if getattr(attribute, '_handle', None) is not None:
                    attribute._handle = None
        logging.getLogger('').handlers.clear()
        # Older clients remove obsolete versions from this table each time, and fail if they are
        # missing.
        table = getattr(sys.modules.get('openstackclient.volume.client'), 'API_VERSIONS', {})
        for version in '12' if isinstance(table, dict) else '':  # a tuple in newer clients
            table.setdefault(version, '')

    def main_of(self, program):
        if program == 'openstack':
            return self.shell.main
        from blazarclient import shell

        return shell.main

    def run(self, words, login, program='openstack'):
        """Runs a command line and captures its output."""
        out, err = io.StringIO(), io.StringIO()
        os.environ.clear()
        os.environ.update(login)
        if program != 'openstack':
            os.environ.setdefault('OS_AUTH_TYPE', 'password')
        signal.signal(signal.SIGALRM, out_of_patience)
        signal.alarm(TIMEOUT_SECONDS)
        stdin, sys.stdin = sys.stdin, io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    code = self.main_of(program)(words)
                except SystemExit as exit:
                    code = exit.code
        except OutOfPatience:
            raise Failure('timed out after %s seconds' % TIMEOUT_SECONDS) from None
        finally:
            signal.alarm(0)
            sys.stdin = stdin
            self.forget()
        return (0 if code is None else code), out.getvalue(), err.getvalue()


def out_of_patience(*_):
    raise OutOfPatience()


def number(version):
    return [int(part) for part in re.findall(r'\d+', version)]


def check_suitable(when, versions):
    """Checks `when`, which restricts a case to versions of packages: {python-openstackclient:
    '>=7'}.
    """
    for package, wanted in (when or {}).items():
        have = versions.get(package)
        relation, bound = re.fullmatch(r'(>=|<)\s*([\d.]+)', wanted).groups()
        if have is None:
            raise Unsuitable('%s is not installed' % package)
        depth = len(number(bound))
        newer = number(have)[:depth] >= number(bound)
        if newer != (relation == '>='):
            raise Unsuitable('requires %s %s, but %s is installed' % (package, wanted, have))


# --- names and values -----------------------------------------------------------------------------


def fill(value, names):
    """Replaces `${name}` in every string by the saved value. A string that is only `${name}` keeps
    the value's type.
    """
    if isinstance(value, dict):
        return {fill(key, names): fill(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [fill(each, names) for each in value]
    if not isinstance(value, str):
        return value
    pattern = is_pattern(value)

    def look_up(found):
        name = found.group(1)
        if name == 'uuid':
            return str(uuid.uuid4())
        if name not in names:
            raise Failure('no saved value "%s"' % name)
        return names[name]

    whole = re.fullmatch(r'\$\{(\w+)\}', value)
    if whole:
        return look_up(whole)
    return re.sub(r'\$\{(\w+)\}',
                  lambda found: re.escape(str(look_up(found))) if pattern else str(look_up(found)),
                  value)


def is_pattern(value):
    return (isinstance(value, str) and len(value) > 2
            and value.startswith('/') and value.endswith('/'))


def shown(value):
    return json.dumps(value, ensure_ascii=False)


def difference(want, got, at='it'):
    """Describes how `got` differs from `want`; None if it does not. Objects may have further keys,
    lists no further elements. A string in slashes is a pattern.
    """
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return '%s is %s, not an object' % (at, shown(got))
        for names, each in want.items():
            key = which(names, got)
            if key is None:
                return '%s has no "%s"' % (at, names)
            found = difference(each, got[key], '%s."%s"' % (at, key))
            if found:
                return found
        return None
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return '%s is %s, not a list of %s' % (at, shown(got), len(want))
        found = (difference(each, got[i], '%s[%s]' % (at, i)) for i, each in enumerate(want))
        return next((each for each in found if each), None)
    if is_pattern(want):
        text = got if isinstance(got, str) else shown(got)
        if re.search(want[1:-1], text):
            return None
        return '%s is %s and does not match %s' % (at, shown(got), want)
    if isinstance(want, bool) != isinstance(got, bool) or want != got:
        return '%s is %s instead of %s' % (at, shown(got), shown(want))
    return None


def which(names, record):
    """Returns the first existing column of names such as `id|ID`, because column names differ
    between clients.
    """
    return next((name for name in names.split('|') if name in record), None)


def check_has(wanted, rows):
    for want in wanted:
        if all(difference(want, row) for row in rows):
            raise Failure('no row matches %s' % shown(want))


def check_rows(wanted, rows):
    """Expects exactly these rows, in any order."""
    left = list(rows)
    for want in wanted:
        fits = next((row for row in left if not difference(want, row)), None)
        if fits is None:
            raise Failure('no (further) row matches %s' % shown(want))
        left.remove(fits)
    if left:
        raise Failure('unexpected rows: %s' % shown(left))


def check_lacks(unwanted, rows):
    for want in unwanted:
        for row in rows:
            if not difference(want, row):
                raise Failure('unexpected row %s' % shown(row))


def check_columns(wanted, data):
    """Expects exactly these columns, in any order. For a list, checks its first row."""
    if data == []:
        raise Failure('no rows, so no columns to check')
    have = sorted(data[0] if isinstance(data, list) else data)
    if have != sorted(wanted):
        raise Failure('the columns are %s instead of %s' % (have, sorted(wanted)))


def check_text(wanted, text, where):
    for want in wanted if isinstance(wanted, list) else [wanted]:
        if not (re.search(want[1:-1], text) if is_pattern(want) else want in text):
            raise Failure('%s does not contain %s' % (where, want))


def pick(data, path):
    """Reads a value from the output: `uuid`, or `0.ID` for a column of the first row."""
    for part in str(path).split('.'):
        try:
            data = data[int(part)] if isinstance(data, list) else data[which(part, data)]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Failure('no value "%s" to save' % path) from None
    return data


# --- cases ----------------------------------------------------------------------------------------


def login_of(step, environment, names):
    """The environment of a step: that of the caller, or with `as` only the cloud's address and the
    given login.
    """
    if 'as' not in step:
        return environment
    login = {key: value for key, value in environment.items()
             if not key.startswith('OS_') or key in KEPT}
    given = fill(step['as'], names)
    login.update({'OS_' + key.upper(): str(value) for key, value in given.items()})
    if 'username' in given and not any(key.startswith('user_domain') for key in given):
        login['OS_USER_DOMAIN_ID'] = 'default'
    if 'project_name' in given and not any(key.startswith('project_domain') for key in given):
        login['OS_PROJECT_DOMAIN_ID'] = 'default'
    return login


def is_due(step, version):
    at = number(NEGOTIATED if version in (None, 'default') else version)
    return number(step.get('since', '0')) <= at <= number(step.get('until', '999'))


def run_line(line, step, version, clients, environment, names):
    words = [str(fill(word, names)) for word in shlex.split(line)]
    program = step.get('with', 'openstack')
    name = clients.command_of(words) if program == 'openstack' else None
    if clients.prints_data(name) and '-f' not in words:
        words += ['-f', 'json']
    version = step.get('at', version)
    if version not in (None, 'default'):
        words = ['--os-placement-api-version', version] + words
    code, out, err = clients.run(words, login_of(step, environment, names), program)
    transcript = '%s %s\nexit code %s\n--- stdout\n%s\n--- stderr\n%s' % (
        program, shlex.join(words), code, out, err)
    return name, code, out, err, transcript


def check_step(step, code, out, err, names):
    want = fill({key: step[key]
                 for key in ('json', 'rows', 'has', 'lacks', 'columns', 'stdout', 'stderr')
                 if key in step}, names)
    expected = step.get('expect', 0)
    if code != expected:
        raise Failure('exit code %s instead of %s' % (code, expected))
    check_text(want.get('stdout', []), out, 'stdout')
    check_text(want.get('stderr', []), err, 'stderr')
    if not {'json', 'rows', 'has', 'lacks', 'columns'} & set(want) and 'save' not in step:
        return
    try:
        data = json.loads(out)
    except ValueError:
        raise Failure('stdout is not JSON') from None
    if 'json' in want:
        found = difference(want['json'], data)
        if found:
            raise Failure(found)
    if 'columns' in want:
        check_columns(want['columns'], data)
    for key, check in (('rows', check_rows), ('has', check_has), ('lacks', check_lacks)):
        if key in want:
            if not isinstance(data, list):
                raise Failure('%s is not a list of rows' % shown(data))
            check(want[key], data)
    for name, path in step.get('save', {}).items():
        names[name] = pick(data, path)


def run_patiently(step, *rest):
    """Runs a step, and if it has `within`, again and again until it meets its expectations."""
    end = time.monotonic() + step.get('within', 0)
    while True:
        try:
            return run_step(step, *rest)
        except Failure:
            if time.monotonic() > end:
                raise
        time.sleep(POLL_SECONDS)


def run_step(step, version, clients, environment, names, called):
    """Runs the lines of a step, each of which must meet the step's expectations."""
    transcript = ''
    try:
        for line in step['run'] if isinstance(step['run'], list) else [step['run']]:
            name, code, out, err, transcript = run_line(
                line, step, version, clients, environment, names)
            called.add(name)
            check_step(step, code, out, err, names)
    except Failure as failure:
        raise Failure('%s\n%s' % (failure, transcript)) from None


def run_steps(case, clients, environment, names, called):
    version = case.get('at')
    for place, step in enumerate(case['steps'], 1):
        if not is_due(step, version):
            continue
        try:
            check_suitable(step.get('when'), clients.versions)
        except Unsuitable:
            continue
        try:
            run_patiently(step, version, clients, environment, names, called)
        except Failure as failure:
            raise Failure('step %s: %s' % (place, failure)) from None


def clean_up(case, clients, environment, names):
    """Removes everything that a case has created, whether it succeeded or not. Missing resources
    are ignored.
    """
    for line in case.get('cleanup', []):
        step = line if isinstance(line, dict) else {'run': line}
        with contextlib.suppress(Failure):
            run_line(step['run'], step, case.get('at'), clients, environment, names)


def run_case(case, environment, clients):
    short = uuid.uuid4().hex[:8]
    names, called = {'unique': short, 'UNIQUE': short.upper()}, set()
    began = time.monotonic()
    result = {}
    try:
        check_suitable(case.get('when'), clients.versions)
        try:
            for name, value in case.get('let', {}).items():
                names[name] = fill(value, names)
            run_steps(case, clients, environment, names, called)
        finally:
            clean_up(case, clients, environment, names)
    except Unsuitable as reason:
        result = {'skipped': str(reason)}
    except Failure as failure:
        result = {'failure': str(failure)}
    except Exception:
        result = {'failure': traceback.format_exc()}
    return {**result, 'called': sorted(filter(None, called)), 'seconds': time.monotonic() - began}


def main():
    answers = sys.stdout
    sys.argv = ['openstack']
    warnings.simplefilter('ignore')
    try:
        clients = Clients()
    except ImportError as missing:
        print(json.dumps({'missing': str(missing)}), file=answers, flush=True)
        return
    plugins = {
        service: sorted(name for name, (group, _) in clients.commands.items()
                        if group.startswith('openstack.%s.' % service))
        for service in ('placement', 'clustering', 'reservation')
    }
    print(json.dumps({'versions': clients.versions, **plugins}), file=answers, flush=True)
    own = {name: value for name, value in os.environ.items()
           if not name.startswith('OS_') and not name.lower().endswith('_proxy')}
    for line in sys.stdin:
        request = json.loads(line)
        outcome = run_case(request['case'], {**own, **request['environment']}, clients)
        print(json.dumps(outcome), file=answers, flush=True)


main()
