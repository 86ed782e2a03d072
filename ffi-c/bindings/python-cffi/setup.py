"""The wheel is of one platform, for it has the library inside, and of every Python 3."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Platform(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Platform, cmdclass={"bdist_wheel": Wheel})
