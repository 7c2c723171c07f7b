/** Tokens with which people and service accounts call services whose edge asks for one. Only an authority of our own can make them. */
export interface ServiceTokens {
  /** Good for one hour, for the audience `service:{app}/{env}/{service}` alone. */
  create(who: { readonly id: string; readonly displayName: string }, audience: string): Promise<{ token: string; expiresAt: Date }>;
}
