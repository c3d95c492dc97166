# shellcheck shell=bash
# How a script is used, to be sourced: `usage SYNOPSIS MOST "$@"`. If the first word of the command line is
# --help or -h, prints the synopsis and the comment at the head of the script, and ends it; more than
# MOST words are refused.
usage() {
    local synopsis=$1 most=$2
    shift 2
    case ${1-} in
    -h | --help)
        echo "usage: $synopsis"
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    esac
    if [ $# -gt "$most" ]; then
        echo "${0##*/}: '${!#}': allowed: $synopsis" >&2
        exit 2
    fi
}
