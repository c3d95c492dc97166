#!/usr/bin/env bash
# The Makefile: what is made again when a flag, a compiler or a set of sources changes, and what is
# installed. It builds a copy of the sources with compilers that only note what they are asked.
#   test_build.sh build/paising
# One line a case: ok, FAIL (with what the command said) or SKIP. Status 1 if a case failed.
# shellcheck disable=SC1091,SC2034,SC2154 # scratch, out, err, status, passed, failed: of claims.sh
set -u

paising=$(realpath "${1:?usage: test_build.sh build/paising}")
source "$(dirname "$0")/../lib/claims.sh"
top=$(realpath "$(dirname "$0")/../..")
# What the make that runs this test was told is not for the ones that it runs.
unset MAKEFLAGS MFLAGS MAKELEVEL CC AR CFLAGS CPPFLAGS LDFLAGS LDLIBS NVCC NVCCFLAGS CUDA_ARCH CUDA_QUICK
unset PREFIX DESTDIR

tree=$scratch/tree stubs=$scratch/stubs
export CALLS=$scratch/calls
mkdir "$tree" "$stubs"
cp -r "$top"/{Makefile,.commit,paising,reference,validate,perf,ci} "$tree"

# Compilers, ar, nvcc and nvidia-smi: each notes its command line, and writes what it is to make. A
# program that is linked so prints its arguments.
cat >"$stubs/cc" <<'END'
#!/bin/sh
[ "$1" != -dumpmachine ] || { echo x86_64-linux-gnu; exit; }
[ "$1" != --help ] || echo '--split-compile --Ofast-compile'
echo "${0##*/} $*" >>"$CALLS"
compile=no
while [ $# -gt 0 ]; do
    case $1 in
    -c) compile=yes ;;
    -o | rcs) made=$2 ;;
    esac
    shift
done
[ -n "${made-}" ] || exit 0
echo 'echo "$*"' >"$made"
[ $compile = yes ] || chmod +x "$made"
END
chmod +x "$stubs/cc"
for name in other_cc ar ld objcopy nvcc nvidia-smi; do
    ln -s cc "$stubs/$name"
done

# Runs a command line, and keeps what it says.
run() {
    "$@" >"$out" 2>"$err"
    status=$?
}

# make in a folder, with these tools and what else is said; the calls are in $CALLS.
make_in() {
    : >"$CALLS"
    PATH=$stubs:$PATH run make -C "$1" CC="$stubs/cc" AR="$stubs/ar" "${@:2}"
}
build() { make_in "$tree" "$@"; }
cpu() { build NVCC= "$@"; }

# What was compiled, as a sorted list of objects; from the calls, or from what make -n says.
compiled() { sed -n 's|.* -c -o build/obj/\([^ ]*\) .*|\1|p' "${1:-$CALLS}" | sort; }
linked() { sed -n 's|.* -o build/\([-a-z_0-9]*\) .*|\1|p' "$CALLS" | sort; }
# The objects of the sources that ask for CUDA, and of CUDA sources.
asking() {
    (cd "$tree" && grep -lw PAISING_CUDA ./*/*.c ./*/*/*.c ./*/*/*/*.c | sed 's|^\./||; s|c$|o|' | sort)
}
of_cuda() { (cd "$tree" && find paising perf validate -name '*.cu' | sed 's|$|.o|' | sort); }
called() { grep -c "^$1 " "$CALLS"; }
in_library() { grep '^ar ' "$CALLS" | tr ' ' '\n' | grep -c "$1\$"; }

# --- what is made again ---

begin
cpu everything
compiled >all
linked >programs
verdict "everything is compiled and linked once" "exits 0" "[ \$(wc -l <all) -gt 100 ]" \
    "! uniq -d all | grep ." "! uniq -d programs | grep ." "grep -qx paising programs"
verdict "floating point as written, in each object" \
    "! grep ' -c -o ' $CALLS | grep -v -e ' -ffp-contract=off '"
verdict "without nvcc a line says so" "[ \$(grep -c 'nvcc is not there' $out) -eq 1 ]"
# What the library is linked into, but for what needs TestU01.
cpu -pn everything
sed -n 's/^command_\([-a-z_0-9]*\) = .*libpaising\.a.*/\1/p' "$out" | grep -vx -e library -e shared -e rng_battery | sort -u >known
grep -v '^plain' programs >of_library
verdict "make everything builds every program" "exits 0" "[ \$(wc -l <known) -gt 50 ]" "same known of_library"
cpu everything
verdict "a second make does nothing" "exits 0" "! [ -s $CALLS ]"

grep -v '^perf/cpu_ratios\.o$\|^perf/rounds\.o$' all >flagged
cpu -n everything CFLAGS=-O1
compiled "$out" >again
verdict "another CFLAGS: each object that has them is compiled again" "same again flagged"
cpu everything
verdict "make -n has changed nothing" "exits 0" "! [ -s $CALLS ]"
cpu -n everything CC="$stubs/other_cc"
compiled "$out" >again
verdict "another compiler: each object is compiled again" "same again all"
cpu everything LDFLAGS=-Wl,-O1
linked >again
verdict "other flags of the linker: programs are linked again" "exits 0" "same again programs" \
    "! compiled | grep ."
cpu everything

mv "$tree/validate/physics/report.c" .
cpu everything
linked >again
verdict "a source less: its program is linked again, without it" "exits 0" \
    "[ \"\$(cat again)\" = validate ]" "! grep -q report $CALLS" "! compiled | grep ."
mv report.c "$tree/validate/physics/"
cpu everything

# --- flags that change values ---

cat >rules.c <<'END'
#include "base/ieee_rules.h"
#include <stdio.h>
int main(void) {
    const char *const broken = ieee_broken_rule();
    return broken != NULL && puts(broken);
}
END
# Whether a program with these flags is compiled, and calculates as it was written.
calculates() { "$1" -std=c11 -O2 -ffp-contract=off "${@:2}" -I "$top/paising" -o rules rules.c "$top/paising/base/ieee_rules.c" && ./rules; }
# The same, of compilers that know the flags.
knows() { "$@" -Werror -fsyntax-only -x c - <<<'int x;' 2>/dev/null; }
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then
        skip "flags of $compiler that change values" "no $compiler"
        continue
    fi
    accepted=() harmless=0
    for flags in -ffast-math -Ofast -ffinite-math-only -fno-signed-zeros -freciprocal-math -funsafe-math-optimizations \
        '-fassociative-math -fno-signed-zeros -fno-trapping-math' -fno-honor-nans -fno-honor-infinities \
        -fsingle-precision-constant -mfpmath=387 -mdaz-ftz; do
        read -ra words <<<"$flags"
        ! knows $compiler "${words[@]}" || ! calculates $compiler "${words[@]}" >"$out" 2>"$err" || accepted+=("$flags")
    done
    for flags in -O0 -O3 -fno-math-errno -fno-trapping-math -frounding-math -march=native -g; do
        ! knows $compiler $flags || calculates $compiler $flags >"$out" 2>"$err" || harmless=1
    done
    verdict "$compiler: a flag that changes values is refused, and no other" "[ '${accepted[*]}' = '' ]" "[ $harmless = 0 ]"
done
gcc -std=c11 -O2 -c -I "$top/paising" rules.c "$top/paising/base/ieee_rules.c"
run gcc -o rules rules.o ieee_rules.o
run ./rules
verdict "what was linked without -ffast-math calculates as it was written" "exits 0" silent
run gcc -ffast-math -o rules rules.o ieee_rules.o
run ./rules
verdict "what was linked with -ffast-math says which rule is broken" "exits 1" "grep -q 'numbers below' $out"

# --- with nvcc, and without again ---

build everything
compiled >again
{ asking && of_cuda; } | sort >touched
verdict "nvcc is there: what asks for CUDA is compiled again, and the CUDA engines" "exits 0" \
    "same again touched" "[ \$(in_library '\.cu\.o') -gt 3 ]" "linked | grep -qx paising" \
    "[ \$(grep -c -e ' -DPAISING_CUDA ' $CALLS) -eq \$(asking | wc -l) ]"
verdict "nvidia-smi is asked once" "[ \$(called nvidia-smi) -eq 1 ]"
verdict "no header asks for CUDA" "! grep -rlw PAISING_CUDA --include='*.h' $tree"
build everything
verdict "a second make with nvcc compiles nothing" "exits 0" "! grep -e ' -o ' $CALLS"
build everything CUDA_ARCH=all
compiled >again
of_cuda >touched
verdict "another CUDA_ARCH: the CUDA sources are compiled again" "exits 0" "same again touched" \
    "[ \$(grep -c 'code=sm_75 .*code=compute_90 ' $CALLS) -eq \$(of_cuda | wc -l) ]" \
    "[ \$(called nvidia-smi) -eq 0 ]"
build -n everything CUDA_QUICK=yes
compiled "$out" >again
verdict "CUDA_QUICK=yes: the CUDA sources are compiled again, without optimisations" "exits 0" "same again touched" \
    "[ \$(grep -c -e ' --Ofast-compile=max .* -c -o ' $out) -eq \$(of_cuda | wc -l) ]" "! grep -e ' -O3 -lineinfo ' $out"
cpu everything
compiled >again
asking >touched
verdict "nvcc is gone: what asks for CUDA is compiled again" "exits 0" "same again touched" \
    "[ \$(in_library '\.cu\.o') -eq 0 ]" "linked | grep -qx paising"

for target in clean help "-n dist" uninstall; do
    read -ra words <<<"$target"
    build "${words[@]}" DESTDIR="$work/installed"
    verdict "make $target asks no tool anything" "exits 0" "! [ -s $CALLS ]"
done

begin
for script in ci/setup.sh validate/rng/rng.py; do
    cat >"$tree/$script" <<'END'
#!/bin/sh
echo "$0 $*" >>"$CALLS"
[ "$*" != "test nosuch" ] || exit 2
END
done
cpu rng BATTERY=nosuch
verdict "make rng goes no further than a battery that is refused" "exits 2" \
    "grep -q 'rng.py test nosuch' $CALLS" "! grep -q 'rng.py ising' $CALLS"

cat >"$tree/validate/demo.sh" <<'END'
#!/bin/sh
echo table
END
for words in V= V=1; do
    cpu clean
    cpu demo $words
    grep -c -e ' -o build/' "$out" >lines
    verdict "make demo $words: $([ $words = V=1 ] && echo the commands || echo no commands) of the compiler" "exits 0" "[ \$(grep -c ' -o ' $CALLS) -gt 100 ]" \
        "grep -qx table $out" "[ \$(cat lines) $([ $words = V=1 ] && echo -gt 100 || echo -eq 0) ]" "[ $words = V=1 ] || [ \$(wc -l <$out) -le 6 ]"
done

# --- jobs ---

for target in check test demo validate identity inflation bench rng profile sanitize; do
    cpu -n -j1 $target
    grep -e '^make ' "$out" >one
    cpu -n $target
    grep -e '^make ' "$out" >all
    verdict "make -j1 $target: as many jobs as were asked for" "exits 0" "[ -s one ]" \
        "! grep -e ' -j' one" "grep -q -e '^make -j[0-9]' all"
done

# --- make install, make dist ---

begin
installed="bin/paising bin/paising-compare bin/paising-exact bin/paising-helium include/paising.h lib/libpaising.a lib/libpaising.so.1"
installed+=" lib/pkgconfig/paising.pc share/doc/paising/examples/own_couplings.c share/bash-completion/completions/paising"
for page in "$tree"/paising/docs/*.md "$tree"/paising/docs/*.json; do
    installed+=" share/doc/paising/$(basename "$page")"
done
installed+=" share/man/man1/paising-compare.1 share/man/man1/paising-exact.1 share/man/man1/paising-helium.1 share/man/man1/paising.1"
for model in "$tree"/perf/baselines/*.dat; do
    installed+=" share/paising/baselines/$(basename "$model")"
done
installed+=" share/zsh/site-functions/_paising"
installed=$(tr ' ' '\n' <<<"$installed" | sort | tr '\n' ' ')
cpu install PREFIX=/usr DESTDIR="$work/d"
verdict "make install" "exits 0" \
    "[ \"\$(cd d/usr && find * -type f | sort | tr '\n' ' ')\" = '$installed' ]" \
    "[ -x d/usr/bin/paising-exact ]" "[ \"\$(cat d/usr/share/man/man1/paising.1)\" = --manual ]" \
    "[ \"\$(cat d/usr/share/zsh/site-functions/_paising)\" = '--completion zsh' ]"
build install PREFIX=/usr DESTDIR="$work/d" CC="$stubs/other_cc"
verdict "make install installs what is built" "exits 0" "! [ -s $CALLS ]"
touch "$tree/paising/base/npy.c"
cpu build/paising
cpu install PREFIX=/usr DESTDIR="$work/d"
verdict "... and no library of older sources" "exits 0" "grep -q ' -o build/lib/libpaising.so ' $CALLS" \
    "[ d/usr/lib/libpaising.so.1 -nt $tree/paising/base/npy.c ]" "! compiled | grep ."
touch "$tree/paising/base/npy.c"
cpu install PREFIX=/usr DESTDIR="$work/d"
verdict "... nor a program" "exits 0" "[ \"\$(compiled)\" = paising/base/npy.o ]" "linked | grep -qx paising"
sed -i 's|$| build/obj/paising/cuda/engine/fill.cu.o|' "$tree/build/commands/library"
cpu install PREFIX=/usr DESTDIR="$work/d"
verdict "... nor one without CUDA in place of one that was built with it" "exits 2" "grep -q 'nvcc is not in PATH' $err" "! [ -s $CALLS ]"
cpu build/paising
cpu uninstall PREFIX=/usr DESTDIR="$work/d"
verdict "make uninstall" "exits 0" "[ -z \"\$(find d -type f)\" ]"
mkdir a
cpu install PREFIX="$work/a b"
touch "$work/a b/share/paising/baselines/mine.dat" "$work/a b/share/paising/mine"
cpu uninstall PREFIX="$work/a b"
verdict "make uninstall leaves what make install did not bring" "exits 0" \
    "[ \"\$(cd 'a b' && find * -type f | sort | tr '\n' ' ')\" = 'share/paising/baselines/mine.dat share/paising/mine ' ]"
rm -r "$work/a b/share/paising"
cpu install PREFIX="$work/a b"
verdict "make install into a folder with a space in its name" "exits 0" "[ -x 'a b/bin/paising' ]"
cpu uninstall PREFIX="$work/a b"
verdict "make uninstall from there touches no other" "exits 0" "[ -d a ]" "[ -z \"\$(find a* -type f)\" ]"
rmdir a

mkdir -p bin share/paising/baselines
cp "$paising" bin
cp "$tree/perf/baselines/nvidia-h200.dat" share/paising/baselines/mine.dat
run bin/paising -L 64 -R 100 --dry-run --like mine
verdict "an installed program looks for baselines in share" "exits 0" "grep -q '^expected time .*(mine.dat)$' $out"

begin
if ! commit=$(git -C "$top" log -1 --format=%h 2>/dev/null); then
    skip "make dist" "this is no checkout of git"
else
    make_in "$top" dist BUILD="$work/dist"
    version=$("$paising" --version | sed 's/^paising //')
    verdict "make dist" "exits 0" "files './dist ./dist/paising-$version.tar.gz'"
    tar -xzf dist/*.tar.gz
    make_in "paising-$version" NVCC= all
    verdict "what make dist makes is built without git, and knows its commit" "exits 0" \
        "grep -qF -e '-DPAISING_COMMIT=\"$commit\"' $CALLS" "linked | grep -qx paising"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
