"""Lehmer generators in the plain light of number theory: primes that are proven, lattices that are measured."""
