#!/usr/bin/python3
"""Prints the policy rules of an OpenStack service as JSON, from a checkout of its source.

usage: rules.py PACKAGE CHECKOUT...

PACKAGE is the Python package of the rules, such as keystone.common.policies. CHECKOUT is the source
of the service; Neutron's rules also need the source of neutron-lib. Nothing has to be installed:
stubs replace all other imports of the rules.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import types

PACKAGE, *CHECKOUTS = sys.argv[1:]
# The packages that are really imported: the rules, and a module that Neutron's rules need.
REAL = (PACKAGE, 'neutron_lib.policy')


class Stub:
    """Replaces imports that do not affect the names, check strings and scopes of the rules."""

    def __getattr__(self, name):
        return {'RuleDefault': Rule, 'DocumentedRuleDefault': Rule,
                'DeprecatedRule': Deprecated}.get(name, Stub())

    def __call__(self, *args, **kwargs):
        return Stub()

    def __iter__(self):
        return iter(())

    def __str__(self):
        return ''

    def __mro_entries__(self, bases):
        return (object,)


class Rule:
    def __init__(self, name, check_str, description=None, operations=None, scope_types=None,
                 deprecated_rule=None, **_):
        self.name, self.check_str, self.scope_types = name, check_str, scope_types
        self.operations = operations if isinstance(operations, list) else []


class Deprecated:
    def __init__(self, name, check_str, *args, **kwargs):
        self.name, self.check_str = name, check_str


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        inner = f'{self.__name__}.{name}'
        return importlib.import_module(inner) if inner in REAL else Stub()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in sys.stdlib_module_names:
            return None
        if any(name == real or name.startswith(real + '.') for real in REAL):
            for checkout in CHECKOUTS:
                base = os.path.join(checkout, *name.split('.'))
                package = os.path.join(base, '__init__.py')
                for file, folders in ((package, [base]), (base + '.py', None)):
                    if os.path.exists(file):
                        return importlib.util.spec_from_file_location(
                            name, file, submodule_search_locations=folders)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())
rules = importlib.import_module(PACKAGE).list_rules()
print(json.dumps([{
    'name': rule.name,
    'rule': rule.check_str,
    'scopes': list(rule.scope_types or []),
    'operations': [{'path': one['path'], 'method': one['method']} for one in rule.operations],
} for rule in rules]))
