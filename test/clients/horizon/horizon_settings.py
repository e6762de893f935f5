# The settings of Horizon: Debian's, for one process without Apache and memcached.
import os

from openstack_dashboard.settings import *  # noqa: F403

ALLOWED_HOSTS = ['127.0.0.1']
SECRET_KEY = 'only for tests'
OPENSTACK_KEYSTONE_URL = os.environ['KEYSTONE_URL']
CACHES = {'default': {'BACKEND': 'django.core.cache.backends.locmem.LocMemCache'}}
# A signed cookie, Debian's default, is too small for the tokens of several domains.
SESSION_ENGINE = 'django.contrib.sessions.backends.cache'
# The image is sent to Horizon, which sends it on.
HORIZON_IMAGES_UPLOAD_MODE = 'legacy'
# Horizon does not ask Cinder whether it makes backups, and hides them by default.
OPENSTACK_CINDER_FEATURES = {'enable_backup': True}
# Single sign-on, at an identity provider of the choice or at that of the protocol.
WEBSSO_ENABLED = True
WEBSSO_CHOICES = (
    ('credentials', 'Keystone Credentials'),
    ('partner', 'The partner'),
    ('openid', 'OpenID Connect'),
)
WEBSSO_IDP_MAPPING = {'partner': ('partner', 'openid')}
