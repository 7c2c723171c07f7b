/** Issues tokens for people and service accounts to call services whose edge requires one. Only the embedded authority can issue them. */
export interface ServiceTokenOwner {
  readonly id: string;
  readonly displayName: string;
  readonly token?: { readonly expiresAt: Date | number } | undefined;
}
export interface ServiceTokens {
  /**
   * The token is only valid for the audience `service:{app}/{env}/{service}`. It expires after one hour, or with `who.token` if that is
   * earlier.
   */
  create(who: ServiceTokenOwner, audience: string): Promise<{ token: string; expiresAt: Date }>;
}
