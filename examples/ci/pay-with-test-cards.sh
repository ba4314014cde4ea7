#!/bin/sh
# Pays with test cards at a sandbox, and fails unless each payment ends as expected. A job of CI runs it.
set -eu

payments sandbox --port 8402 &
trap 'kill $!' EXIT
for second in 1 2 3 4 5 6 7 8 9 10; do # until it listens
  payments login --sandbox --base-url http://127.0.0.1:8402 && break || sleep 1
done

payments create --amount 4999 --currency eur --test-card visa --expect succeeded
payments create --amount 4999 --currency eur --test-card insufficient-funds --expect insufficient_funds
payments listen --since 1m --until payment.failed --timeout 60s
