#!/bin/sh
# Pays with test cards, and fails unless each payment ends as expected. A job of CI runs it in a sandbox:
#   payments sandbox exec -- sh ci/pay-with-test-cards.sh
set -eu

payments create --amount 4999 --currency eur --test-card visa --expect succeeded
payments create --amount 4999 --currency eur --test-card insufficient-funds --expect insufficient_funds
payments listen --since 1m --until payment.failed --timeout 60s

page=$(payments create --hosted --amount 2500 --currency eur --fields id -o csv | tail -n 1)
payments sandbox clock --advance 25h
payments get "$page" --expect hpp_expired
