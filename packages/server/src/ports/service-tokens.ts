/** Tokens with which people and service accounts call services whose edge asks for one. Only an authority of our own can make them. */
export interface ServiceTokenOwner {
  readonly id: string;
  readonly displayName: string;
  readonly token?: { readonly expiresAt: Date | number } | undefined;
}
export interface ServiceTokens {
  /** Good for one hour, and no longer than `who.token` where the call came with one, for the audience `service:{app}/{env}/{service}` alone. */
  create(who: ServiceTokenOwner, audience: string): Promise<{ token: string; expiresAt: Date }>;
}
