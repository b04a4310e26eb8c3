#!/usr/bin/env python3
"""fit-elem.py - the constants in kernels/elem.h

Interpolates in Chebyshev nodes, turns the result into powers of x, rounds the
coefficients to float32 and prints them, highest power first as the header has
them, with the error that the rounded polynomial leaves in its function.

    exp:  (exp(r) - 1 - r) / r^2 on |r| <= ln 2 / 2
    tanh: (tanh(x) / x - 1) / x^2 in z = x^2, up to x = 0.625
"""
import math

import numpy as np
from numpy.polynomial import chebyshev, polynomial

DEGREE = 5


def fit(f, lo, hi):
    mid, half = (lo + hi) / 2, (hi - lo) / 2
    n = DEGREE + 1
    t = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    cheb = chebyshev.chebfit(t, [f(x) for x in mid + half * t], DEGREE)
    power = np.zeros(1)
    for a in chebyshev.cheb2poly(cheb)[::-1]:
        power = polynomial.polyadd(
            polynomial.polymul(power, [-mid / half, 1 / half]), [a])
    return np.float32(power[:n])


def show(c):
    mantissa, exponent = float(np.float32(c)).hex().split("p")
    print(f"\t{mantissa[:-7]}p{exponent}f")


def show_fit(name, coefficients, error):
    print(f"{name}: relative error at most {error:.2g}")
    for c in coefficients[::-1]:
        show(c)


def exp_rest(r):
    return sum(r**i / math.factorial(i + 2) for i in range(25))


def tanh_rest(z):
    # In long double, since tanh(x) / x is close to 1.
    x = np.sqrt(np.longdouble(z))
    return float((np.tanh(x) / x - 1) / np.longdouble(z))


# The high part of ln 2 has 21 bits, so that x - k high is exact.
log2 = np.log(np.longdouble(2))
high = np.rint(log2 * 2**21) / 2**21
print("1 / ln 2, and ln 2 in two parts:")
for part in (1 / log2, high, log2 - high):
    show(part)

# A little beyond ln 2 / 2, since k is rounded from a rounded product.
end = math.log(2) / 2 * 1.0001
c = fit(exp_rest, -end, end)
r = np.linspace(-end, end, 20001)
q = polynomial.polyval(r, c.astype(float))
show_fit("exp", c, np.max(np.abs((1 + r + r * r * q) / np.exp(r) - 1)))

c = fit(tanh_rest, 1e-4, 0.625**2)
x = np.linspace(1e-3, 0.625, 20001)
p = polynomial.polyval(x * x, c.astype(float))
show_fit("tanh", c, np.max(np.abs((x + x**3 * p) / np.tanh(x) - 1)))
