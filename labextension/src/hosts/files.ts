/** The file types that contain a program, for all hosts. */
export type ProgramFileType = "pt2" | "pte" | "bpte" | "etrecord" | "snapshot" | "profile";

interface ProgramFile {
  readonly type: ProgramFileType;
  readonly extension?: `.${string}`;
  /** If the extension is not specific enough. */
  readonly pattern?: string;
  /** Its MIME type, after `application/x-`. */
  readonly mime: string;
}

export const PROGRAM_FILES: readonly ProgramFile[] = [
  {
    type: "pt2",
    extension: ".pt2",
    mime: "pytorch-pt2",
  },
  {
    type: "pte",
    extension: ".pte",
    mime: "executorch-pte",
  },
  {
    type: "bpte",
    extension: ".bpte",
    mime: "executorch-bpte",
  },
  {
    type: "etrecord",
    extension: ".etrecord",
    // ExecuTorch's own examples name it etrecord.bin.
    pattern: "etrecord[^/]*\\.bin$",
    mime: "executorch-etrecord",
  },
  {
    type: "snapshot",
    extension: ".exirviz",
    mime: "exirviz",
  },
  {
    type: "profile",
    extension: ".exirprofile",
    mime: "exirprofile",
  },
];

/** What JupyterLab's registry calls a type. */
export const registered = (type: ProgramFileType): string => `exir-viz-${type}`;

/** Whether a file is a program file, by its name. */
export const isProgramFile = (name: string): boolean =>
  PROGRAM_FILES.some(
    ({ extension, pattern }) =>
      (extension && name.toLowerCase().endsWith(extension)) || (pattern && new RegExp(pattern).test(name)),
  );
