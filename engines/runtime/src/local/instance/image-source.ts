/** Source of unpacked images for the runtime. */
export interface RunnableImage {
  /** World-readable directory, shared by all instances of the image. */
  readonly rootfs: string;
  /** Entrypoint and arguments. */
  readonly entrypoint: readonly string[];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user?: string;
}

export interface ImageSource {
  /** Pulls and unpacks the image unless it is cached. Rejects with a `PortFailure`. */
  prepare(repository: string, digest: string): Promise<RunnableImage>;
}
