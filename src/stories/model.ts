// What a story is: a few steps on a preset.

/** A request of a story. Names in its path and body are replaced by what earlier requests saved. */
export interface StoryRequest {
  readonly method: string;
  /** From the origin on, such as `/compute/v2.1/servers`. */
  readonly path: string;
  readonly body?: object;
  /** The microversion, such as `compute 2.90`. */
  readonly version?: string;
  /**
   * Saves values of the reply by name: the place of each in the body, such as `server.id`,
   * `flavors.0.id`, or `flavors.name=huge.id` for the entry of a list with that name.
   */
  readonly save?: Readonly<Record<string, string>>;
  /** Repeats the request until its reply has this value at this place. */
  readonly until?: readonly [place: string, value: string];
  /** The status of the reply if it is an error that belongs to the story. */
  readonly status?: number;
}

/**
 * A step of a story. It looks up all that it needs, because the reader may have taken the steps
 * before it with a client.
 */
export interface Step {
  /** What happens and why, in a sentence or two. */
  readonly text: string;
  /** What the reader enters in another terminal. */
  readonly command: string;
  /** What the tour sends if the reader does not. */
  readonly requests?: readonly StoryRequest[];
  /** The arguments of `cumulet` whose output the terminal shows after the step. */
  readonly show?: readonly string[];
  /** The view of the page that shows the result, if it is not that of the story. */
  readonly view?: string;
}

export interface Story {
  readonly name: string;
  readonly title: string;
  readonly preset: string;
  /** The first region of the preset, if it has regions of its own. */
  readonly firstRegion?: string;
  /** The view of the page that shows it. */
  readonly view: string;
  readonly steps: readonly Step[];
}
