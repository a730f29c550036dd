#include "lang/make/defaults.h"

namespace paddock::make {
namespace {

constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
    {".LIBPATTERNS", "lib%.so lib%.a"},
    {"AR", "ar"},
    {"ARFLAGS", "rv"},
    {"AS", "as"},
    {"CC", "cc"},
    {"COMPILE.C", "$(COMPILE.cc)"},
    {"COMPILE.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"},
    {"COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.cpp", "$(COMPILE.cc)"},
    {"COMPILE.def", "$(M2C) $(M2FLAGS) $(DEFFLAGS) $(TARGET_ARCH)"},
    {"COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.mod", "$(M2C) $(M2FLAGS) $(MODFLAGS) $(TARGET_ARCH)"},
    {"COMPILE.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"},
    {"CPP", "$(CC) -E"},
    {"CTANGLE", "ctangle"},
    {"CWEAVE", "cweave"},
    {"CXX", "g++"},
    {"F77", "$(FC)"},
    {"F77FLAGS", "$(FFLAGS)"},
    {"FC", "f77"},
    {"LD", "ld"},
    {"LEX", "lex"},
    {"LEX.l", "$(LEX) $(LFLAGS) -t"},
    {"LEX.m", "$(LEX) $(LFLAGS) -t"},
    {"LINK.C", "$(LINK.cc)"},
    {"LINK.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"},
    {"LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.cpp", "$(LINK.cc)"},
    {"LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.r", "$(FC) $(FFLAGS) $(RFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"},
    {"LINT", "lint"},
    {"LINT.c", "$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)"},
    {"M2C", "m2c"},
    {"MAKEINFO", "makeinfo"},
    {"OBJC", "cc"},
    {"OUTPUT_OPTION", "-o $@"},
    {"PC", "pc"},
    {"PREPROCESS.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F"},
    {"PREPROCESS.S", "$(CC) -E $(CPPFLAGS)"},
    {"PREPROCESS.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -F"},
    {"RM", "rm -f"},
    {"TANGLE", "tangle"},
    {"TEX", "tex"},
    {"TEXI2DVI", "texi2dvi"},
    {"WEAVE", "weave"},
    {"YACC", "yacc"},
    {"YACC.m", "$(YACC) $(YFLAGS)"},
    {"YACC.y", "$(YACC) $(YFLAGS)"},
};

// A recipe of several lines has newlines between them.
constexpr DefaultRule kSuffixRules[] = {
    {"", ".o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"", ".c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".ln", ".c", "$(LINT.c) -C$* $<"},
    {".o", ".c", "$(COMPILE.c) $(OUTPUT_OPTION) $<"},
    {"", ".cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".cc", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"},
    {"", ".C", "$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".C", "$(COMPILE.C) $(OUTPUT_OPTION) $<"},
    {"", ".cpp", "$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".cpp", "$(COMPILE.cpp) $(OUTPUT_OPTION) $<"},
    {"", ".p", "$(LINK.p) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".p", "$(COMPILE.p) $(OUTPUT_OPTION) $<"},
    {"", ".f", "$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".f", "$(COMPILE.f) $(OUTPUT_OPTION) $<"},
    {"", ".F", "$(LINK.F) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".F", "$(COMPILE.F) $(OUTPUT_OPTION) $<"},
    {".f", ".F", "$(PREPROCESS.F) $(OUTPUT_OPTION) $<"},
    {"", ".m", "$(LINK.m) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".m", "$(COMPILE.m) $(OUTPUT_OPTION) $<"},
    {"", ".r", "$(LINK.r) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".r", "$(COMPILE.r) $(OUTPUT_OPTION) $<"},
    {".f", ".r", "$(PREPROCESS.r) $(OUTPUT_OPTION) $<"},
    {".ln", ".y", "$(YACC.y) $< \n $(LINT.c) -C$* y.tab.c \n $(RM) y.tab.c"},
    {".c", ".y", "$(YACC.y) $< \n mv -f y.tab.c $@"},
    {".ln", ".l", "@$(RM) $*.c\n $(LEX.l) $< > $*.c\n$(LINT.c) -i $*.c -o $@\n $(RM) $*.c"},
    {".c", ".l", "@$(RM) $@ \n $(LEX.l) $< > $@"},
    {".r", ".l", "$(LEX.l) $< > $@ \n mv -f lex.yy.r $@"},
    {".m", ".ym", "$(YACC.m) $< \n mv -f y.tab.c $@"},
    {"", ".s", "$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".s", "$(COMPILE.s) -o $@ $<"},
    {"", ".S", "$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {".o", ".S", "$(COMPILE.S) -o $@ $<"},
    {".s", ".S", "$(PREPROCESS.S) $< > $@"},
    {"", ".mod", "$(COMPILE.mod) -o $@ -e $@ $^"},
    {".o", ".mod", "$(COMPILE.mod) -o $@ $<"},
    {".sym", ".def", "$(COMPILE.def) -o $@ $<"},
    {".dvi", ".tex", "$(TEX) $<"},
    {".info", ".texinfo", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"},
    {".dvi", ".texinfo", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"},
    {".info", ".texi", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"},
    {".dvi", ".texi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"},
    {".info", ".txinfo", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"},
    {".dvi", ".txinfo", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"},
    {".c", ".w", "$(CTANGLE) $< - $@"},
    {".tex", ".w", "$(CWEAVE) $< - $@"},
    {".p", ".web", "$(TANGLE) $<"},
    {".tex", ".web", "$(WEAVE) $<"},
    {"", ".sh", "cat $< >$@ \n chmod a+x $@"},
};

constexpr DefaultRule kPatternRules[] = {
    {"(%)", "%", "$(AR) $(ARFLAGS) $@ $<"},
    {"%.out", "%", "@rm -f $@ \n cp $< $@"},
    {"%.c", "%.w %.ch", "$(CTANGLE) $^ $@"},
    {"%.tex", "%.w %.ch", "$(CWEAVE) $^ $@"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> DefaultVariables() { return kVariables; }
std::span<const DefaultRule> DefaultSuffixRules() { return kSuffixRules; }
std::span<const DefaultRule> DefaultPatternRules() { return kPatternRules; }

std::string_view DefaultSuffixes() {
  return ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo .texi .txinfo .w "
         ".ch .web .sh .elc .el";
}

}  // namespace paddock::make
