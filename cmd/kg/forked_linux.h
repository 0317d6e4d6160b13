#ifndef KG_FORKED_H
#define KG_FORKED_H

// The size of a diary, see diary.go. Its first word says how a child ended.
#define KG_DIARY_SIZE 131076

// What this process is.
enum kg_role {
	KG_ALONE,   // it has not forked
	KG_CHILD,   // the child of a process that waits
	KG_BEREAVED // its child died, and not in order
};

struct kg_forked {
	int role;
	int orders; // of a child: what the parent holds open; when it ends the child must, too
	int diary;  // memory of both
	int err;    // of a child: the standard error of both
	int said;   // of the bereaved: what the child said at its end
	int status; // of the bereaved: how it died, as wait tells
};

extern struct kg_forked kg_forked;
extern const char *const kg_forking[]; // the commands that fork; the last one is NULL

#endif
