#!/bin/sh
# Pays with test cards at a sandbox, and fails unless each payment ends as expected. A job of CI runs it.
set -eu

payments sandbox --port 8402 &
trap 'kill $!' EXIT
payments login --sandbox --base-url http://127.0.0.1:8402 --max-retries 10

payments create --amount 4999 --currency eur --test-card visa --expect succeeded
payments create --amount 4999 --currency eur --test-card insufficient-funds --expect insufficient_funds
payments listen --since 1m --until payment.failed --timeout 60s
