/** The SHA-256 of a token of the webhook. It is no secret: a token has 256 random bits. */
export const TOKEN_HASH = /^[0-9a-f]{64}$/;

export const A_TOKEN_HASH = 'the SHA-256 of a token: 64 lower-case hexadecimal digits, which `outrigger token` prints';
