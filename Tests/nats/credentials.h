/* SPDX-License-Identifier: Apache-2.0
 *
 * credentials.h - an operator, an account and a user of NATS, for tests alone. The operator has signed the account, and the
 * account the user. Their private keys exist nowhere else, except that of the user.
 */
#ifndef PEAL_TEST_NATS_CREDENTIALS_H
#define PEAL_TEST_NATS_CREDENTIALS_H

#define OPERATOR_JWT                                                                                                 \
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJwZWFsLXRlc3Qtb3BlcmF0b3IiLCJpYXQiOjE3MDAwMDAwMDAsIml" \
    "zcyI6Ik9DNE9ZSFZOQkJLSjdPSEpNV01HSTRGWVZDUEpHTEFMWldVQjI0TkIzTlVYRTVXTTIzWUtQQkFPIiwibmFtZSI6InRlc3QiLCJzdWIiO" \
    "iJPQzRPWUhWTkJCS0o3T0hKTVdNR0k0RllWQ1BKR0xBTFpXVUIyNE5CM05VWEU1V00yM1lLUEJBTyIsIm5hdHMiOnsidHlwZSI6Im9wZXJhdG9" \
    "yIiwidmVyc2lvbiI6Mn19.e2y5qIBJGimc_xkeCzfWUiPyGoYdCdlLzAA8WWOzjLu4nDWLMGqrLYgMxLQWxj1c5TLsJUVeRxj5Pb1ORKHICA"
#define ACCOUNT_JWT                                                                                                  \
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJwZWFsLXRlc3QtYWNjb3VudCIsImlhdCI6MTcwMDAwMDAwMCwiaXN" \
    "zIjoiT0M0T1lIVk5CQktKN09ISk1XTUdJNEZZVkNQSkdMQUxaV1VCMjROQjNOVVhFNVdNMjNZS1BCQU8iLCJuYW1lIjoidGVzdCIsInN1YiI6I" \
    "kFBVDVCTERCSUVLQ0JRQzVLSktNQ09FTktFUTdQSkpNWFhCWEJWVlgzTklaQVpBSUw3VDM1U01aIiwibmF0cyI6eyJsaW1pdHMiOnsic3VicyI" \
    "6LTEsImRhdGEiOi0xLCJwYXlsb2FkIjotMSwiaW1wb3J0cyI6LTEsImV4cG9ydHMiOi0xLCJ3aWxkY2FyZHMiOnRydWUsImNvbm4iOi0xLCJsZ" \
    "WFmIjotMX0sInR5cGUiOiJhY2NvdW50IiwidmVyc2lvbiI6Mn19.cyMOtwJkV4O32vPE57weu97NdlsBvqWgcNow9nqxEmxqAncZnz8kxt5Cby" \
    "RAcRwNg-wMhf4taQ5tYWKz1N76BQ"
#define ACCOUNT_ID "AAT5BLDBIEKCBQC5KJKMCOENKEQ7PJJMXXBXBVVX3NIZAZAIL7T35SMZ"
#define USER_JWT                                                                                                     \
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJwZWFsLXRlc3QtdXNlciIsImlhdCI6MTcwMDAwMDAwMCwiaXNzIjo" \
    "iQUFUNUJMREJJRUtDQlFDNUtKS01DT0VOS0VRN1BKSk1YWEJYQlZWWDNOSVpBWkFJTDdUMzVTTVoiLCJuYW1lIjoidGVzdCIsInN1YiI6IlVCS" \
    "DZMUEZXN0hDR0pTRllYQktVVURWWlhBRFdSSEo2TkRGVFlSMklVT0g0NEtCRk41U0lUVURKIiwibmF0cyI6eyJwdWIiOnt9LCJzdWIiOnt9LCJ" \
    "zdWJzIjotMSwiZGF0YSI6LTEsInBheWxvYWQiOi0xLCJ0eXBlIjoidXNlciIsInZlcnNpb24iOjJ9fQ.23NuWyQHptGeBEPZLfmnjKOrvqDPbK" \
    "JvTWFLSa9G0FBNE_KB3ZxT5JvtGJDegh7Kho0pUnp4Odyi-t_EJnlJCw"
#define USER_SEED "SUACBHWLXRWWWV5CXAY5ZQS2IWBGRRID2YO6O3YOTBJT6KURJW25HHOINE"

/* The part of the server's configuration. */
#define OPERATOR_CONFIGURATION                                                                                      \
    "operator: " OPERATOR_JWT "\nsystem_account: " ACCOUNT_ID "\nresolver: MEMORY\nresolver_preload: { " ACCOUNT_ID \
    ": " ACCOUNT_JWT " }\n"
/* A file of credentials. */
#define CREDENTIALS_BEGIN "-----BEGIN NATS USER JWT-----\n" USER_JWT "\n------END NATS USER JWT------\n\n"
#define CREDENTIALS_END "-----BEGIN USER NKEY SEED-----\n" USER_SEED "\n------END USER NKEY SEED------\n"

#endif
