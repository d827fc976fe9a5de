/** A certificate that only tests trust. */

/** For localhost, self-signed; nothing else trusts it. */
export const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUGRvyhH8o1LkNdFDrAAZJdUpn3GMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA1MjMxNFoYDzIxMjYxMTAy
MDUyMzE0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATAsNOSeFPXKkBgRy2Pj1WwbH1q9bztYMiD+zd93lz6nK3KmQ/6fpmw
UojHCCL2XhSi1cd+n6/9VZMydfRxugtXo28wbTAdBgNVHQ4EFgQUf9UFxz/mUWkj
3ZTxzGEDxwA6RfowHwYDVR0jBBgwFoAUf9UFxz/mUWkj3ZTxzGEDxwA6RfowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgOynRdF/PuZBAYvfYDtZAmHCigwcotoSr7Rm6ukmw7RgCIQDO
gcef3Jmevv5IO6EO7StbqeJApwfBjXZpc9/Tz7BuHQ==
-----END CERTIFICATE-----
`;
/** Its key. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKplqeEq7fmjnWFDC
FUymsUIi8bO89VYzzWwRp2SxGCuhRANCAATAsNOSeFPXKkBgRy2Pj1WwbH1q9bzt
YMiD+zd93lz6nK3KmQ/6fpmwUojHCCL2XhSi1cd+n6/9VZMydfRxugtX
-----END PRIVATE KEY-----
`;
