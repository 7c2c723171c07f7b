/** Where the runtime gets unpacked images from. */
export interface RunnableImage {
  /** Directory, readable by everybody; shared by all instances of the image. */
  readonly rootfs: string;
  /** Entrypoint and arguments. */
  readonly entrypoint: readonly string[];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user?: string;
}

export interface ImageSource {
  /** Pulls and unpacks unless it is there. Rejects with a `PortFailure`. */
  prepare(repository: string, digest: string): Promise<RunnableImage>;
}
