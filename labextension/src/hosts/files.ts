/** The file types that contain a program, for all hosts. */
export type ProgramFileType =
  | "exir-viz-pt2"
  | "exir-viz-pte"
  | "exir-viz-bpte"
  | "exir-viz-etrecord"
  | "exir-viz-snapshot"
  | "exir-viz-profile";

interface ProgramFile {
  readonly name: ProgramFileType;
  readonly extension?: `.${string}`;
  /** If the extension is not specific enough. */
  readonly pattern?: string;
  readonly mimeType: string;
}

export const PROGRAM_FILES: readonly ProgramFile[] = [
  {
    name: "exir-viz-pt2",
    extension: ".pt2",
    mimeType: "application/x-pytorch-pt2",
  },
  {
    name: "exir-viz-pte",
    extension: ".pte",
    mimeType: "application/x-executorch-pte",
  },
  {
    name: "exir-viz-bpte",
    extension: ".bpte",
    mimeType: "application/x-executorch-bpte",
  },
  {
    name: "exir-viz-etrecord",
    extension: ".etrecord",
    // ExecuTorch's own examples name it etrecord.bin.
    pattern: "etrecord[^/]*\\.bin$",
    mimeType: "application/x-executorch-etrecord",
  },
  {
    name: "exir-viz-snapshot",
    extension: ".exirviz",
    mimeType: "application/x-exirviz",
  },
  {
    name: "exir-viz-profile",
    extension: ".exirprofile",
    mimeType: "application/x-exirprofile",
  },
];

/** Whether a file is a program file, by its name. */
export const isProgramFile = (name: string): boolean =>
  PROGRAM_FILES.some(
    ({ extension, pattern }) =>
      (extension && name.toLowerCase().endsWith(extension)) || (pattern && new RegExp(pattern).test(name)),
  );
